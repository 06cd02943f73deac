import { useBrowserFact } from '../ui/browserFacts.ts';

/** The key that starts a shortcut on this machine. */
export function useCommandKey(): '⌘' | 'Ctrl' {
  return useBrowserFact(() => (/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'), 'Ctrl');
}
