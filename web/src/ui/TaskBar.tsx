import { Progress } from '@mantine/core';
import { isMoving, percentDone, type Task } from './task.ts';

type Props = {
  task: Task;
  /** What has been done to it, such as `written`. */
  done: string;
};

/** How far long work is, as long as it is under way. */
export function TaskBar({ task, done }: Props) {
  if (!isMoving(task)) return null;
  const percent = percentDone(task);
  return (
    <Progress
      w="100%"
      value={percent ?? 100}
      animated={percent === null}
      aria-label={percent === null ? 'Under way' : `${percent} percent ${done}`}
    />
  );
}
