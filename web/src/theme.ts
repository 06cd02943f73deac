import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';
import { seriesVariables } from './analysis/colors.ts';

/** The only accent color. Dark enough for white text in both color schemes. */
const teal: MantineColorsTuple = [
  '#e6f7f9',
  '#c5f0f5',
  '#99e3ec',
  '#66d1de',
  '#3bbccd',
  '#22a7ba',
  '#1098ad',
  '#0c8599',
  '#0b7285',
  '#095c6b',
];

/**
 * Cooler than Mantine's grays, to match the logo. From text (0) over borders (4) and cards (6) to page (7) and menu
 * (8).
 */
const dark: MantineColorsTuple = [
  '#e2e4e8',
  '#a6abb4',
  '#868c96',
  '#5d626b',
  '#33363d',
  '#26292f',
  '#1b1d21',
  '#131417',
  '#0e0f11',
  '#08090a',
];

const fontFamily = 'Inter, "Inter before it loads", system-ui, sans-serif';

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 8, dark: 8 },
  colors: { teal, dark },
  black: '#1a1c20',
  fontFamily,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  lineHeights: { xs: '1.4', sm: '1.5', md: '1.5', lg: '1.5', xl: '1.5' },
  headings: {
    fontFamily,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.25rem', lineHeight: '1.3' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
      h4: { fontSize: '0.9375rem', lineHeight: '1.4' },
      h5: { fontSize: '0.875rem', lineHeight: '1.4' },
      h6: { fontSize: '0.8125rem', lineHeight: '1.4' },
    },
  },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '0.1875rem', sm: '0.25rem', md: '0.375rem', lg: '0.625rem', xl: '1rem' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Card: { defaultProps: { radius: 'lg' } },
    // The header of a dialog is not a second banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    Notification: { styles: { description: { color: 'var(--mantine-color-text)' } } },
  },
});

/** Mantine's dimmed gray and red have too little contrast, its borders too much. */
export const readableColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5a606b',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-placeholder': '#6b727d',
    '--mantine-color-default-border': '#e2e5e9',
    '--mantine-color-default-hover': '#f4f5f7',
    ...seriesVariables('light'),
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
    '--mantine-color-default': '#25282d',
    '--mantine-color-default-border': '#2b2e34',
    '--mantine-color-default-hover': '#2d3136',
    '--mantine-color-disabled': '#26292f',
    '--mantine-color-disabled-border': '#3d4149',
    '--mantine-color-disabled-color': '#868c96',
    ...seriesVariables('dark'),
  },
});
