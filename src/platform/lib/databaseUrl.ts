/** The servers of a database, in the order to try them, each with its own URL. */
export type DatabaseServers = {
  urls: string[];
  /** Whether to skip servers that accept no changes. */
  isForChanges: boolean;
};

const form = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([^?#]*)(?:\?([^#]*))?$/;
const hostForm = /^(\[[\da-f:.]+\]|[^:[\]\s]+)(:\d{1,5})?$/i;
const attributes = ['any', 'read-write', 'primary'];

/** As libpq, but of several hosts always the one that accepts changes. Null if the text is no such URL. */
export function readDatabaseUrl(text: string): DatabaseServers | null {
  const [, start, list, path, query = ''] = form.exec(text) ?? [];
  if (start === undefined || list === undefined) return null;
  const hosts = list.split(',');
  const parameters = new URLSearchParams(query);
  const attribute = parameters.get('target_session_attrs');
  if (attribute !== null && !attributes.includes(attribute)) return null;
  // The folder of a socket can be in the query.
  if (hosts.length > 1 && (parameters.has('host') || parameters.has('port'))) return null;
  if (hosts.some((host) => !hostForm.test(host) && !(host === '' && hosts.length === 1))) return null;
  const others = query.split('&').filter((pair) => pair !== '' && !pair.startsWith('target_session_attrs='));
  const end = `${path}${others.length > 0 ? `?${others.join('&')}` : ''}`;
  const urls = hosts.map((host) => `${start}${host}${end}`);
  if (urls.some((url) => !URL.canParse(url))) return null;
  return { urls, isForChanges: hosts.length > 1 || (attribute !== null && attribute !== 'any') };
}
