import { showMessage } from '../ui/messages.ts';

export function announceSwitched(organizationName: string): void {
  showMessage({
    // One id, so that several changes show one message.
    id: 'session',
    title: 'Organization changed',
    text: `You signed in to ${organizationName} in another tab. All tabs now show it.`,
    color: 'orange',
    seconds: 20,
  });
}
