/** github.com, and ghe.com for data residency. Any other address is an Enterprise Server. */
const cloudHost = /^(github\.com|.+\.ghe\.com)$/;

export function gitHubPages(apiUrl: string): string {
  const { protocol, host, origin } = new URL(apiUrl);
  const pages = host.replace(/^api\./, '');
  return pages !== host && cloudHost.test(pages) ? `${protocol}//${pages}` : origin;
}

export function gitHubApi(pagesUrl: string): string {
  const { protocol, host } = new URL(pagesUrl);
  return cloudHost.test(host) ? `${protocol}//api.${host}` : `${pagesUrl}/api/v3`;
}
