import { createContext } from 'react';

export const OpenSearch = createContext<() => void>(() => {});
