/** A secret of a session, code or unsubscribe link as its holder has it; like a token's, it says where to look it up. */
export type SecretParts = { orgId: string; id: string; secret: string };

type Kind = 'session' | 'code' | 'unsubscribe';

const idPrefixes: Record<Kind, string> = { session: 'ses_', code: 'cod_', unsubscribe: 'mem_' };
const forms: Record<Kind, RegExp> = {
  session: formOf('session'),
  code: formOf('code'),
  unsubscribe: formOf('unsubscribe'),
};

function formOf(kind: Kind): RegExp {
  return new RegExp(`^runcost_${kind}_([0-9a-f]{32})_([0-9a-f]{20})_([A-Za-z0-9_-]{43})$`);
}

/** `runcost_<kind>_<organization>_<id>_<secret>`; the prefix lets secret scanners find a leaked one. */
export function writeSecret(kind: Kind, { orgId, id, secret }: SecretParts): string {
  return `runcost_${kind}_${orgId.replaceAll('-', '')}_${id.slice(idPrefixes[kind].length)}_${secret}`;
}

/** The parts of a secret of this kind, or null where the text is none. */
export function readSecret(kind: Kind, text: string): SecretParts | null {
  const match = forms[kind].exec(text);
  if (!match) return null;
  const orgId = match[1]!.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { orgId, id: `${idPrefixes[kind]}${match[2]!}`, secret: match[3]! };
}
