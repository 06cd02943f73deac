import { providers as knownProviders } from '../../src/intake/providers/providers.ts';
import { createPriceList } from '../../src/ledger/pricing/priceList.ts';
import { createProviders } from '../../src/ledger/pricing/provider.ts';

export const providers = createProviders(knownProviders);
export const shippedBooks = providers.books;
export const defaultBook = shippedBooks[0]!;
/** The price list of an organization that has not chosen one. */
export const defaultPriceList = createPriceList(defaultBook, [], providers);
