import { useEffect, useRef, useState } from 'react';
import { Confirm } from './Dialog.tsx';

/** Marks the second of two history entries of this page, so that Back stays here once. */
const guarded = { isGuarded: true };
const isGuarded = () => (history.state as typeof guarded | null)?.isGuarded === true;

export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const [leave, setLeave] = useState<{ go: () => void } | null>(null);
  const isAllowed = useRef(false);

  useEffect(() => {
    if (!isDirty) return;
    const here = location.href;
    const guard = () => {
      if (!isGuarded()) history.pushState(guarded, '', here);
    };
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (!link || isAllowed.current || !staysInWindow(link, event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      setLeave({ go: () => follow(link) });
    };
    const onBack = () => {
      if (isAllowed.current || location.href !== here) return;
      guard();
      setLeave({ go: () => history.go(-2) });
    };
    const onClose = (event: BeforeUnloadEvent) => {
      if (!isAllowed.current) event.preventDefault();
    };
    guard();
    window.addEventListener('click', onClick, true);
    window.addEventListener('popstate', onBack);
    window.addEventListener('beforeunload', onClose);
    return () => {
      window.removeEventListener('click', onClick, true);
      window.removeEventListener('popstate', onBack);
      window.removeEventListener('beforeunload', onClose);
    };
  }, [isDirty]);

  if (!leave) return null;
  const confirm = () => {
    isAllowed.current = true;
    setLeave(null);
    leave.go();
  };
  return (
    <Confirm
      title="Leave without saving?"
      label="Leave without saving"
      change={{ isPending: false, mutate: confirm }}
      onClose={() => setLeave(null)}
    >
      Your changes are not saved.
    </Confirm>
  );
}

/** Goes back to the first of the two entries, and then follows the link, so that Back returns here once. */
function follow(link: HTMLAnchorElement): void {
  window.addEventListener('popstate', () => link.click(), { once: true });
  history.back();
}

function staysInWindow(link: HTMLAnchorElement, event: MouseEvent): boolean {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  const isOfThisPage = link.getAttribute('href')?.startsWith('#') === true;
  return (
    isPlain && !isOfThisPage && link.href !== '' && link.target !== '_blank' && !link.hasAttribute('download')
  );
}
