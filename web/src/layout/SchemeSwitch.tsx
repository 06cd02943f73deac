import { Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

export function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const next = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  return (
    <Button
      variant="default"
      size="compact-sm"
      flex="none"
      onClick={() => setColorScheme(next)}
      aria-label={`Use ${next} theme`}
    >
      {next === 'dark' ? 'Dark' : 'Light'}
    </Button>
  );
}
