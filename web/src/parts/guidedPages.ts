/** Setup pages of providers whose webhook Runcost can add. */
export const guidedPages: Record<string, string> = {
  github: '/sources/github-app',
  gitlab: '/sources/gitlab',
};
