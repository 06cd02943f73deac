import type { EventTables } from './events/tables.ts';
import type { InsightTables } from './insight/tables.ts';
import type { IntakeTables } from './intake/tables.ts';
import type { LedgerTables } from './ledger/tables.ts';
import type { OutreachTables } from './outreach/tables.ts';
import type { PlatformTables } from './platform/tables.ts';
import type { TenancyTables } from './tenancy/tables.ts';

/** The database's tables as Kysely sees them: camelCase here, snake_case in SQL. Each has one owner. */
export type Tables = PlatformTables &
  TenancyTables &
  EventTables &
  LedgerTables &
  IntakeTables &
  InsightTables &
  OutreachTables;
