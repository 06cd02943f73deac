type Picture = {
  svg: SVGSVGElement;
  title: string;
  subtitle: string;
  legend: { title: string; color: string }[];
};

const copied = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'opacity',
  'font-size',
  'font-family',
  'font-weight',
  'text-anchor',
];
const margin = 24;
const scale = 2;
const lineHeight = 22;

export async function pictureOf({ svg, title, subtitle, legend }: Picture): Promise<string> {
  const { width, height } = svg.getBoundingClientRect();
  const { color, fontFamily } = getComputedStyle(document.body);
  const background = getComputedStyle(svg.closest('.mantine-Card-root') ?? document.body).backgroundColor;
  const image = await imageOf(svg, width, height);
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d')!;
  const rows = legendRows(context, legend, width, fontFamily);
  const top = margin + 2 * lineHeight + 8;
  canvas.width = scale * (width + 2 * margin);
  canvas.height = scale * (top + height + (rows.length > 0 ? 12 : 0) + rows.length * lineHeight + margin);
  context.scale(scale, scale);
  context.fillStyle = background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const write = (text: string, x: number, y: number, font: string): void => {
    context.font = `${font} ${fontFamily}`;
    context.fillStyle = color;
    context.fillText(text, x, y);
  };
  write(title, margin, margin + 14, '700 16px');
  write(subtitle, margin, margin + 14 + lineHeight, '13px');
  context.drawImage(image, margin, top, width, height);
  rows.forEach((row, line) => {
    const y = top + height + 12 + line * lineHeight;
    for (const { title: name, color: swatch, x } of row) {
      context.fillStyle = resolved(swatch);
      context.fillRect(margin + x, y + 3, 10, 10);
      write(name, margin + x + 16, y + 12, '13px');
    }
  });
  return canvas.toDataURL('image/png');
}

type Entry = Picture['legend'][number] & { x: number };

function legendRows(
  context: CanvasRenderingContext2D,
  legend: Picture['legend'],
  width: number,
  font: string,
) {
  context.font = `13px ${font}`;
  const rows: Entry[][] = [];
  let x = Infinity;
  for (const each of legend) {
    const room = 16 + context.measureText(each.title).width + 20;
    if (x + room > width) {
      rows.push([]);
      x = 0;
    }
    rows.at(-1)!.push({ ...each, x });
    x += room;
  }
  return rows;
}

/** The page's styles do not apply inside an image, so each element gets its computed styles inline. */
async function imageOf(svg: SVGSVGElement, width: number, height: number): Promise<HTMLImageElement> {
  const clone = svg.cloneNode(true) as SVGSVGElement;
  const originals = svg.querySelectorAll('*');
  clone.querySelectorAll('*').forEach((element, index) => {
    const style = getComputedStyle(originals[index]!);
    element.removeAttribute('style');
    element.removeAttribute('class');
    for (const name of copied) element.setAttribute(name, style.getPropertyValue(name));
  });
  clone.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  clone.setAttribute('width', String(width));
  clone.setAttribute('height', String(height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(clone))}`;
  await image.decode();
  return image;
}

/** Resolves CSS variables, which a canvas does not know. */
function resolved(color: string): string {
  const probe = document.createElement('span');
  probe.style.color = color;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
