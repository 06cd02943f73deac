import type { Context } from '../../context.ts';
import { findWorkflowNames } from '../../ledger/costs/costs.ts';
import { testOf, type WorkflowNames } from '../../ledger/costs/filters.ts';
import { ownerKinds } from '../../ledger/ownership/owners.ts';
import { listMappings } from '../../ledger/ownership/rules.ts';
import { listPriceChanges } from '../../ledger/pricing/priceChanges.ts';
import { listRepricesOf, type AuthoredReprice } from '../../ledger/repricing/reprices.ts';
import { inSnapshot, type Transaction } from '../../platform/db/database.ts';
import { hasRole, type Actor } from '../../platform/lib/actor.ts';
import { signedDollars } from '../../platform/lib/amountTexts.ts';
import { addDays, dayOf, type Day } from '../../platform/lib/days.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { compare } from '../../platform/lib/lists.ts';
import { faultOfName } from '../../platform/lib/text.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { authorOf, isAuthor } from '../../tenancy/members/members.ts';
import { requireRoom } from '../../tenancy/organizations/organizations.ts';
import { dimensions } from '../explore/readQuestion.ts';
import {
  scopeNames,
  type Annotation,
  type AnnotationKind,
  type NoteScope,
  type ScopeName,
} from './annotation.ts';
import { findNotes, insertNote, type NoteRow, noteRows, replaceNote } from './queries.ts';

export type AskedAnnotations = {
  from?: Day | undefined;
  to?: Day | undefined;
  kind?: AnnotationKind[] | undefined;
} & { [Name in ScopeName]?: string[] | undefined };

const defaultDays = 30;

/** Notes, price changes and reprices of these days, earliest first, from one snapshot. */
export async function listAnnotations(
  ctx: Pick<Context, 'db' | 'actor' | 'clock' | 'providers'>,
  asked: AskedAnnotations,
): Promise<Annotation[]> {
  const end = asked.to ?? dayOf(ctx.clock.now());
  const start = asked.from ?? addDays(end, 1 - defaultDays);
  requireDay('from', start);
  requireDay('to', end);
  if (start > end) throw invalid('from', 'must not be after `to`');
  return inSnapshot(ctx.db, (db) => findAnnotations({ ...ctx, db }, asked, { start, end }));
}

async function findAnnotations(
  ctx: Pick<Context, 'db' | 'actor' | 'providers'>,
  asked: AskedAnnotations,
  window: { start: Day; end: Day },
): Promise<Annotation[]> {
  const { db, actor } = ctx;
  const wants = (kind: AnnotationKind) => !asked.kind || asked.kind.includes(kind);
  const notes = wants('note') ? await findNotes(db, actor.orgId, window) : [];
  const isOfWorkflow = notes.some(({ scope }) => scope?.workflow !== undefined);
  const workflows = isOfWorkflow ? await findWorkflowNames(db, actor.orgId) : new Map();
  const reprices = wants('reprice') ? await listRepricesOf(ctx, window) : [];
  const priceChanges = wants('price_change') ? await listPriceChanges(ctx, window) : [];
  return [
    ...notes.filter((note) => fits(note, asked, workflows)).map((note) => annotationOfNote(note, actor)),
    ...priceChanges.map(({ id, day, text, by, at }) => ({
      id,
      kind: 'price_change' as const,
      start: day,
      end: day,
      text,
      author: by,
      scope: null,
      canChange: false,
      reprice: null,
      createdAt: at,
      updatedAt: at,
    })),
    ...reprices.map(annotationOfReprice),
  ].toSorted((a, b) => compare(a.start, b.start) || compare(a.id, b.id));
}

function annotationOfNote(note: NoteRow, actor: Actor): Annotation {
  const { id, startDay, endDay, text, author, scope, createdAt, updatedAt } = note;
  return {
    id,
    kind: 'note',
    start: startDay,
    end: endDay,
    text,
    author,
    scope: scope as NoteScope | null,
    canChange: mayChange(actor, note),
    reprice: null,
    createdAt,
    updatedAt,
  };
}

function annotationOfReprice({ id, input, state, by, createdAt, endedAt }: AuthoredReprice): Annotation {
  const differenceNanos = BigInt(state.afterNanos) - BigInt(state.beforeNanos);
  const isRevert = input.action === 'revert';
  const jobs = `${state.changedJobs.toLocaleString('en-US')} ${state.changedJobs === 1 ? 'job' : 'jobs'}`;
  const amount = signedDollars(differenceNanos);
  return {
    id,
    kind: 'reprice',
    start: input.from,
    end: input.to,
    text: `${isRevert ? 'Reprice undone' : 'Repriced'}: ${jobs} changed, ${amount}`,
    author: by,
    scope: null,
    canChange: false,
    reprice: { changedJobs: state.changedJobs, differenceNanos, isRevert },
    createdAt,
    updatedAt: endedAt ?? createdAt,
  };
}

/** A note matches unless a filter excludes a value in its scope. A workflow in the scope implies its repository. */
function fits({ scope }: NoteRow, asked: AskedAnnotations, workflows: WorkflowNames): boolean {
  if (!scope) return true;
  const repository = scope.workflow && workflows.get(scope.workflow)?.repository;
  const values: NoteScope = { ...(repository && { repository }), ...scope };
  return scopeNames.every((name) => {
    const [value, filter] = [values[name], asked[name]];
    return (
      value === undefined ||
      filter === undefined ||
      testOf({ dimension: dimensions[name], values: filter }, workflows).accepts(value)
    );
  });
}

export type NoteInput = { start: Day; end?: Day; text: string; scope?: NoteScope | null };

const maxNotes = 10_000;

export async function addNote(ctx: Context, input: NoteInput): Promise<Annotation> {
  const { db, actor, clock } = ctx;
  const now = clock.now();
  return db.transaction().execute(async (tx) => {
    await requireRoom(tx, actor.orgId, {
      things: 'annotations',
      max: maxNotes,
      count: () => noteRows.count(tx, { orgId: actor.orgId }),
      advice: 'Delete some first.',
    });
    const content = await readNote(tx, ctx, { ...input, end: input.end ?? input.start });
    const note: NoteRow = {
      orgId: actor.orgId,
      id: randomId('ann'),
      ...content,
      ...(await authorOf(tx, actor)),
      createdAt: now,
      updatedAt: now,
    };
    await insertNote(tx, note);
    await recordAudit(tx, ctx, 'annotation.create', note.id, namedByTheApi(content));
    return annotationOfNote(note, actor);
  });
}

export type NoteChanges = Partial<NoteInput>;

/** Changes the given fields. A new `start` moves a note of one day. */
export async function updateNote(ctx: Context, id: string, changes: NoteChanges): Promise<Annotation> {
  const { db, actor, clock } = ctx;
  return db.transaction().execute(async (tx) => {
    const before = await noteToChange(tx, ctx, id);
    const isOfOneDay = before.startDay === before.endDay;
    const start = changes.start ?? before.startDay;
    const content = await readNote(
      tx,
      ctx,
      {
        start,
        end: changes.end ?? (isOfOneDay ? start : before.endDay),
        text: changes.text ?? before.text,
        scope: changes.scope === undefined ? before.scope : changes.scope,
      },
      before.scope,
    );
    const details = differences(namedByTheApi(before), namedByTheApi(content));
    if (!details) return annotationOfNote(before, actor);
    const note = { ...before, ...content, updatedAt: clock.now() };
    await replaceNote(tx, note);
    await recordAudit(tx, ctx, 'annotation.update', id, details);
    return annotationOfNote(note, actor);
  });
}

export async function deleteNote(ctx: Context, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const note = await noteToChange(tx, ctx, id);
    await noteRows.remove(tx, note);
    await recordAudit(tx, ctx, 'annotation.delete', id, namedByTheApi(note));
  });
}

type Content = Pick<NoteRow, 'startDay' | 'endDay' | 'text' | 'scope'>;

function namedByTheApi({ startDay, endDay, text, scope }: Content) {
  return { start: startDay, end: endDay, text, scope };
}

async function readNote(
  tx: Transaction,
  { actor }: Context,
  { start, end, text, scope = null }: Required<Pick<NoteInput, 'end'>> & NoteInput,
  before: NoteScope | null = null,
): Promise<Content> {
  requireDay('start', start);
  requireDay('end', end);
  requireText(text);
  if (end < start) throw invalid('end', 'must not be before start');
  const isOfAll = !scope || Object.keys(scope).length === 0;
  // A note can outlive the runs of its workflow.
  const isNew = scope?.workflow !== undefined && scope.workflow !== before?.workflow;
  if (isNew && !(await findWorkflowNames(tx, actor.orgId)).has(scope.workflow!)) {
    throw invalid('scope.workflow', 'is not the id of a workflow of this organization');
  }
  return { startDay: start, endDay: end, text, scope: isOfAll ? null : scope };
}

export async function noteWarnings(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  { scope }: Pick<Annotation, 'scope'>,
): Promise<string[]> {
  const { repository } = scope ?? {};
  const warnings: string[] = [];
  if (repository !== undefined) {
    const names = [...(await findWorkflowNames(db, actor.orgId)).values()];
    if (!names.some((known) => known.repository.toLowerCase() === repository.toLowerCase()))
      warnings.push(`No workflow of the repository ${repository} is recorded yet.`);
  }
  const owned = ownerKinds.filter((kind) => scope?.[kind] !== undefined);
  const mappings = owned.length === 0 ? [] : await listMappings(db, actor.orgId);
  for (const kind of owned) {
    const owner = scope![kind]!;
    if (!mappings.some((mapping) => mapping.kind === kind && mapping.owner === owner))
      warnings.push(`No ownership rule names the ${kind.replace('_', ' ')} ${owner} yet.`);
  }
  return warnings;
}

const maxTextLength = 500;

/** Commands pass text that no request schema has checked. */
function requireText(text: string): void {
  const fault = faultOfName(text);
  if (fault) throw invalid('text', fault);
  if (Array.from(text).length > maxTextLength)
    throw invalid('text', `must have at most ${maxTextLength} characters`);
}

const [firstDay, lastDay]: [Day, Day] = ['2000-01-01', '2099-12-31'];

function requireDay(field: string, day: Day): void {
  if (day < firstDay || day > lastDay) throw invalid(field, `must be from ${firstDay} to ${lastDay}`);
}

async function noteToChange(tx: Transaction, { actor }: Context, id: string): Promise<NoteRow> {
  const note = await noteRows.lock(tx, { orgId: actor.orgId, id });
  if (!note) throw notFound('annotation');
  if (mayChange(actor, note)) return note;
  const message = 'Only its author, an admin or an owner can change this note.';
  throw new PublicError('forbidden', 'not_your_annotation', message);
}

function mayChange(actor: Actor, note: NoteRow): boolean {
  return isAuthor(actor, note) || hasRole(actor.role, 'admin');
}
