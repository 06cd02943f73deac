import type { Logger } from 'pino';

/** Keeps lines sharp on dense screens. */
const scale = 2;

/** Null without a build of the renderer for this machine. It is loaded only for the first email with a chart. */
export async function renderPng(svg: string, log: Pick<Logger, 'warn'>): Promise<Buffer | null> {
  try {
    const { Resvg } = await import('@resvg/resvg-js');
    const fitTo = { mode: 'zoom' as const, value: scale };
    return new Resvg(svg, { fitTo, font: { loadSystemFonts: false } }).render().asPng();
  } catch (error) {
    log.warn(
      { err: error as Error },
      'the chart of an email could not be drawn, so the email is sent without it',
    );
    return null;
  }
}
