import { isServer } from '../ui/browserState.ts';

export const commandKey = () => (!isServer && /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl');
