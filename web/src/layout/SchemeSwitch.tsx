import { Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

/** Light or dark; until it is used, as the viewer's system has it. */
export function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const next = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  return (
    <Button
      variant="default"
      size="compact-sm"
      flex="none"
      onClick={() => setColorScheme(next)}
      aria-label={`Use the ${next} theme`}
    >
      {next === 'dark' ? 'Dark' : 'Light'}
    </Button>
  );
}
