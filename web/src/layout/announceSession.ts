import { notifications } from '@mantine/notifications';
import type { SessionChange } from '../api/session.ts';

const id = 'session';
const closeButtonProps = { 'aria-label': 'Dismiss' };

export function announceSession(change: SessionChange): void {
  notifications.hide(id);
  if (change.kind === 'signed in') return;
  const isOver = change.kind === 'ended';
  notifications.show({
    id,
    title: isOver ? 'You are signed out' : 'Organization changed',
    message: isOver
      ? 'Your session ended, or you signed out in another tab. Sign in to continue.'
      : `You signed in to ${change.organizationName} in another tab. All tabs now show it.`,
    color: 'orange',
    autoClose: isOver ? false : 20_000,
    closeButtonProps,
  });
}
