/** Why a mail was not taken, without secrets. */
export type MailFailure = Error & { isPermanent: boolean };

/** Whether sending again is in vain: the server has refused this recipient or this message for good (RFC 5321, 5yz). */
export function isPermanent(error: unknown): boolean {
  return (error as Partial<MailFailure> | null)?.isPermanent === true;
}
