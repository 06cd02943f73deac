import { Notification } from '@mantine/core';
import { useEffect, useState } from 'react';
import { hideMessage, useMessages, type Message } from '../ui/messages.ts';

export function Messages() {
  const messages = useMessages();
  if (messages.length === 0) return null;
  return (
    <div className="messages not-printed">
      {messages.map((message) => (
        <Shown key={message.number} message={message} />
      ))}
    </div>
  );
}

function Shown({ message }: { message: Message }) {
  const { id, title, text, color, seconds } = message;
  const [isHeld, setHeld] = useState(false);
  // It stays while someone reads it with the pointer or the focus on it.
  useEffect(() => {
    if (seconds === null || isHeld) return;
    const hiding = setTimeout(hideMessage, seconds * 1_000, id);
    return () => clearTimeout(hiding);
  }, [message, isHeld]);
  return (
    <Notification
      title={title}
      color={color}
      onClose={() => hideMessage(id)}
      closeButtonProps={{ 'aria-label': 'Dismiss' }}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {text}
    </Notification>
  );
}
