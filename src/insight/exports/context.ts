import type { Context } from '../../context.ts';

/** What writing exports works with. */
export type ExportProgram = Pick<Context, 'db' | 'clock' | 'providers'> & {
  /** Where others reach the server. */
  publicUrl: () => string;
};

/** Who reads exports. */
export type ExportReader = Pick<Context, 'db' | 'actor' | 'clock'>;
