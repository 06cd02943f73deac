import { globOf } from '../../platform/lib/text.ts';
import type { RowTest } from './columns/sumRows.ts';
import type { Dimension, Filter } from './costQuestion.ts';

export type WorkflowNames = ReadonlyMap<string, { name: string; repository: string }>;

/** `workflows` maps ids to names, because a filter can use either. */
export function testOf({ dimension, values }: Filter, workflows: WorkflowNames): RowTest {
  const wanted = values.filter((value) => !value.startsWith('!')).map((text) => matcherOf(dimension, text));
  const unwanted = values
    .filter((value) => value.startsWith('!'))
    .map((text) => matcherOf(dimension, text.slice(1)));
  return {
    dimension,
    accepts: (value) => {
      const names = namesOf(dimension, value, workflows);
      const matches = (matcher: Matcher) => matcher(value, names);
      return (wanted.length === 0 || wanted.some(matches)) && !unwanted.some(matches);
    },
  };
}

type Matcher = (value: string | null, names: readonly string[]) => boolean;

function namesOf(dimension: Dimension, value: string | null, workflows: WorkflowNames): string[] {
  if (value === null) return [];
  if (dimension === 'repository') return [value.toLowerCase()];
  const workflow = dimension === 'workflowId' ? workflows.get(value) : undefined;
  return workflow ? [value, workflow.name] : [value];
}

function matcherOf(dimension: Dimension, text: string): Matcher {
  if (text === '') return (value) => value === null;
  if (text.startsWith('=')) return (value) => value === text.slice(1);
  const matches = globOf(dimension === 'repository' ? text.toLowerCase() : text);
  return (_value, names) => names.some(matches);
}
