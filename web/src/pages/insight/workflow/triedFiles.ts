import type { Answer } from '../../../api/query.ts';

export type WorkflowFile = Answer<'/api/v1/workflow-files'>['files'][number];

/** Where its provider looks for a file that somebody pastes, if no run says where it is. */
export function pathOf(content: string): string {
  return /^["']?on["']?:/m.test(content) ? '.github/workflows/pasted.yml' : '.gitlab-ci.yml';
}

/** The files with another text in one of them, which a new one joins. */
export function withText(files: readonly WorkflowFile[], changed: WorkflowFile): WorkflowFile[] {
  const isKnown = files.some(({ path }) => path === changed.path);
  return isKnown ? files.map((file) => (file.path === changed.path ? changed : file)) : [...files, changed];
}
