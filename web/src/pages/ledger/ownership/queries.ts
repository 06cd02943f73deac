import { useQuery } from '@tanstack/react-query';
import { dataQuery } from '../../../api/query.ts';

export const rulesPath = '/api/v1/ownership/rules';
const costsPath = '/api/v1/ownership/costs';

/** Rules apply to past days too, so a changed rule changes what owners cost. */
export const changedByRules = [[rulesPath], [costsPath], ['/api/v1/costs'], ['/api/v1/showback']];

/** What each rule decided about in the last 30 days. */
export const useRuleCosts = () => useQuery(dataQuery(costsPath));
