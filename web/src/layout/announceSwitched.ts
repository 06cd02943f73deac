import { notifications } from '@mantine/notifications';

/** One id, so that several changes show one message. */
const id = 'session';

export function announceSwitched(organizationName: string): void {
  notifications.hide(id);
  notifications.show({
    id,
    title: 'Organization changed',
    message: `You signed in to ${organizationName} in another tab. All tabs now show it.`,
    color: 'orange',
    autoClose: 20_000,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
}
