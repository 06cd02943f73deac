import type { PlanFile } from '../../ledger/pricing/plan.ts';
import { dollars } from '../../platform/lib/amountTexts.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { codeOf, harmless } from '../../platform/lib/markdown.ts';
import { oneLine } from '../../platform/lib/text.ts';
import type { Estimate } from '../estimates/estimate.ts';
import { estimateMarkdown } from '../estimates/markdown.ts';
import type { Patch } from '../estimates/patch.ts';
import { getWastefulRuns } from '../waste/daily.ts';
import type { WasteContext } from '../waste/getWaste.ts';
import { isCategory } from '../waste/suggest.ts';
import type { FoundFix } from './findFix.ts';

/** GitHub allows 65,536 characters. */
const maxCharacters = 60_000;

export type Proposal = { title: string; body: string; message: string; files: readonly PlanFile[] };

type ProposalContext = WasteContext & { publicUrl: () => string };

export async function proposalOf(
  ctx: ProposalContext,
  fix: FoundFix,
  patch: Patch,
  estimate: Estimate | null,
): Promise<Proposal> {
  if (patch.files.length === 0) throw nothingToChange(patch);
  const url = `${ctx.publicUrl()}/waste?repo=${encodeURIComponent(fix.repository)}`;
  const body = textOfProposal(fix, patch, { evidence: await evidenceOf(ctx, fix), estimate, url });
  const title = oneLine(fix.title).slice(0, 200).toWellFormed();
  return { title, body, message: title, files: patch.files };
}

function nothingToChange({ byHand }: Patch): PublicError {
  const reasons = [...new Set(byHand.map(({ reason }) => reason))];
  const message = `Runcost cannot make this change by itself: ${reasons.join(' ')}`;
  return new PublicError('conflict', 'nothing_to_change', message);
}

const shownRuns = 5;

async function evidenceOf(
  ctx: ProposalContext,
  { workflow, category, evidence }: FoundFix,
): Promise<RunsToLookAt | null> {
  const linked = (runs: readonly { id: string; runNumber: number | null }[]) =>
    runs.map(({ id, runNumber }) => ({
      // A parenthesis would end the link.
      url: `${ctx.publicUrl()}/runs/${encodeURIComponent(id).replaceAll(')', '%29')}`,
      text: runNumber === null ? 'a run' : `Run ${runNumber}`,
    }));
  if (evidence)
    return { which: `The newest of ${evidence.runs} that nobody needed:`, runs: linked(evidence.newest) };
  // Only the waste of a category has its runs by cost.
  if (!workflow || !category || !isCategory(category)) return null;
  const asked = { workflowId: workflow.id, repo: undefined, category, days: 30, limit: shownRuns };
  const { period, runs } = await getWastefulRuns(ctx, asked);
  return { which: `The most expensive from ${period.start} to ${period.end}:`, runs: linked(runs) };
}

type RunsToLookAt = { which: string; runs: { url: string; text: string }[] };

/** The text of the pull request: what it saves and why, what stays to do, and the estimate of the change. */
function textOfProposal(
  fix: FoundFix,
  { changed, byHand }: Patch,
  { evidence, estimate, url }: { evidence: RunsToLookAt | null; estimate: Estimate | null; url: string },
): string {
  const left = byHand.map(({ text, path, line, reason }) => {
    const place = path === null ? '' : `${codeOf(line === null ? path : `${path}:${line}`)}: `;
    return `- ${harmless(text)} ${place}${harmless(reason)}`;
  });
  const sections = [
    fix.monthlyNanos > 0n
      ? `**Saves up to ${dollars(fix.monthlyNanos)} a month**, at list prices, if the coming days are like the last 30.`
      : `**Saves up to ${dollars(fix.savingNanos)} of the last 30 days**, at list prices, all on days marked unusual.`,
    ...changed.map(harmless),
    ...(evidence && evidence.runs.length > 0
      ? [
          `### Runs to look at\n\n${evidence.which}\n\n${evidence.runs
            .map((run) => `- [${run.text}](${run.url})`)
            .join('\n')}`,
        ]
      : []),
    ...(left.length > 0 ? [`### Left to you\n\n${left.join('\n')}`] : []),
  ];
  const end = `[Open in Runcost](${url}). Nothing else changes, and nobody merges this but you.`;
  const textOf = (...more: string[]) => [...sections, ...more, end].join('\n\n').concat('\n');
  if (!estimate) return textOf();
  const note =
    'It counts how often and how long jobs ran, so what a limit or a canceled run saves is in the first line only.';
  const whole = textOf('### Estimate of the change', estimateMarkdown(estimate).trim(), note);
  return whole.length <= maxCharacters ? whole : textOf();
}
