import { notifications } from '@mantine/notifications';

/** One message, also after several changes. */
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
