/** Must import nothing, because the GitHub Action runs it without packages. */
export const workflowFolder = '.github/workflows';

export function isWorkflowFile(path: string): boolean {
  return /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path);
}
