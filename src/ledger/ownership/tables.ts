import type { OwnerKind, RuleSource } from './owners.ts';

export type OwnershipTables = { ownershipRules: OwnershipRulesTable };

type OwnershipRulesTable = {
  orgId: string;
  id: string;
  source: RuleSource;
  position: number;
  kind: OwnerKind;
  owner: string;
  repository: string | null;
  workflow: string | null;
  label: string | null;
  validFrom: string | null;
  validUntil: string | null;
  createdAt: Date;
  updatedAt: Date;
};
