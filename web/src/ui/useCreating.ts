import { useDisclosure } from '@mantine/hooks';
import { useEffect } from 'react';
import { useAddress } from './useAddress.ts';

/** `?new=…` in the address opens a dialog that creates something, and is then removed. */
export function useCreating(): ReturnType<typeof useDisclosure> {
  const creating = useDisclosure();
  const [params, change] = useAddress();
  const isAsked = params.has('new');
  useEffect(() => {
    if (!isAsked) return;
    creating[1].open();
    change({ new: null }, { replace: true });
  }, [isAsked]);
  return creating;
}
