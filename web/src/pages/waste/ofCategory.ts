import type { CategoryName, WastefulWorkflow } from './queries.ts';

/** The workflows with anything in a category, those with most of it first. */
export function ofCategory(
  workflows: readonly WastefulWorkflow[],
  category: CategoryName,
): WastefulWorkflow[] {
  const partOf = (workflow: WastefulWorkflow) =>
    workflow.categories.find((part) => part.category === category);
  return workflows
    .filter((workflow) => (partOf(workflow)?.jobs ?? 0) > 0)
    .toSorted((a, b) => {
      const [partA, partB] = [partOf(a)!, partOf(b)!];
      return partB.cost - partA.cost || partB.jobs - partA.jobs;
    });
}
