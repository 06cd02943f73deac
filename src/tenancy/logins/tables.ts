import type { Generated } from 'kysely';
import type { Role } from '../../platform/lib/actor.ts';

export type LoginTables = {
  logins: {
    secretHash: Buffer;
    codeHash: Buffer;
    name: string;
    address: string;
    createdAt: Date;
    expiresAt: Date;
    isDenied: Generated<boolean>;
    /** Null until somebody confirms it, like all that follows. */
    forOrgId: Generated<string | null>;
    /** Null for the session of a sign-in link or of a service account. */
    memberId: Generated<string | null>;
    actor: Generated<string | null>;
    role: Generated<Role | null>;
    scopes: Generated<string[] | null>;
  };
};
