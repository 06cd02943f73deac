const causes: [pattern: RegExp, words: (host: string) => string][] = [
  [/(?:(\S+): )?getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (\S+)/, (host) => `could not find ${host}`],
  [/(?:(\S+): )?connect ECONNREFUSED (\S+)/, (host) => `${host} refused the connection`],
  [/(?:(\S+): )?connect ETIMEDOUT (\S+)/, (host) => `${host} did not answer`],
  [/(?:(\S+): )?connect E(?:HOST|NET)UNREACH (\S+)/, (host) => `${host} could not be reached`],
];

/** Matches only without a word before it, such as the name of the server that answered. */
const answered = /(^|: )answered (\d{3})\b/;

/** `could not find example.com` for `getaddrinfo ENOTFOUND example.com`: no system calls, and the host only once. */
export function plainError(text: string): string {
  for (const [pattern, words] of causes)
    text = text.replace(pattern, (_all, before: string | undefined, host: string) => {
      const [, name, end] = /^(.*?)(\.?)$/.exec(host)!;
      const isSame = before !== undefined && name!.startsWith(before);
      return `${before === undefined || isSame ? '' : `${before}: `}${words(name!)}${end}`;
    });
  return text.replace(answered, '$1HTTP $2');
}
