import type { Selectable } from 'kysely';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import type { Tables } from '../../tables.ts';

export type SavedViewRow = Selectable<Tables['savedViews']>;

export const viewRows = rowsIn('savedViews');
