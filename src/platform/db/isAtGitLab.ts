import { sql, type RawBuilder } from 'kysely';

/** What `isGitLab` of the pricing says of a provider. */
export function isAtGitLab(provider: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(${provider} = 'gitlab' or ${provider} like 'gitlab.%')`;
}
