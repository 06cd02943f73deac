import { useBrowserFact } from '../ui/browserFacts.ts';

export function useCommandKey(): '⌘' | 'Ctrl' {
  return useBrowserFact(() => (/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'), 'Ctrl');
}
