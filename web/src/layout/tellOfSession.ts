import { notifications } from '@mantine/notifications';
import type { SessionChange } from '../api/session.ts';

const id = 'session';
const closeButtonProps = { 'aria-label': 'Close the message' };

/** Says why the page has changed by itself. */
export function tellOfSession(change: SessionChange): void {
  notifications.hide(id);
  if (change.kind === 'signed in') return;
  const isOver = change.kind === 'ended';
  notifications.show({
    id,
    title: isOver ? 'You are signed out' : 'Another organization',
    message: isOver
      ? 'Your session has ended, or you have signed out in another tab. Sign in to go on.'
      : `In another tab you have signed in to ${change.organizationName}; all tabs show it now.`,
    color: 'orange',
    autoClose: isOver ? false : 20_000,
    closeButtonProps,
  });
}
