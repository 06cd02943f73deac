/** The key that starts a shortcut on this machine. */
export const command = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
