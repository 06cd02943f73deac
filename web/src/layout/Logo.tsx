import { TextLink } from '../ui/text.tsx';

/** A play triangle in slices: a run and the costs of its parts. Must match `public/icon.svg`. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden className="mark">
      <rect width="32" height="32" rx="8" fill="#0b7285" />
      <path d="M10 8v16l14.5-8z" fill="#fff" stroke="#fff" strokeWidth="3" strokeLinejoin="round" />
      <path d="M13 4v24M19 4v24" stroke="#0b7285" strokeWidth="2" />
    </svg>
  );
}

export function Logo({ isShort = false }: { isShort?: boolean }) {
  return (
    <TextLink href="/" c="inherit" underline="never" className="logo" aria-label="Runcost">
      <Mark />
      {!isShort && 'Runcost'}
    </TextLink>
  );
}
