import { Progress } from '@mantine/core';
import { isMoving, percentDone, type Task } from './task.ts';

type Props = {
  task: Task;
  done: string;
};

export function TaskBar({ task, done }: Props) {
  if (!isMoving(task)) return null;
  const percent = percentDone(task);
  return (
    <Progress
      w="100%"
      value={percent ?? 100}
      animated={percent === null}
      aria-label={percent === null ? 'In progress' : `${percent}% ${done}`}
    />
  );
}
