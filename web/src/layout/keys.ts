import { useBrowserState } from '../ui/browserState.ts';

export function useCommandKey(): '⌘' | 'Ctrl' {
  return useBrowserState(() => (/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'), 'Ctrl');
}
