import { Skeleton, Text } from '@mantine/core';
import { ChangeSentence } from '../../../analysis/ChangeSentence.tsx';
import { useCostChange } from '../../../analysis/queries.ts';
import { changeQueryOf, isOfOneRepository, isOnlyToday, type Question } from '../../../analysis/question.ts';
import { isRefusal } from '../../../ui/outages.ts';
import './explore.css';

/** Why the cost differs from the period that it is compared with. Keeps its place, so that nothing below moves. */
export function WhatChanged({ question, today }: { question: Question; today: string }) {
  const { compare, metric, groupBy, filters } = question;
  const isOfBill = groupBy.includes('product') || filters.some(({ dimension }) => dimension === 'product');
  const isOfCost = metric === 'cost' || metric === 'net_cost';
  const isSaid = compare !== 'none' && isOfCost && !isOfBill && !isOnlyToday(question, today);
  // The question of the overview, so that coming from there needs no other answer.
  const asked = { ...changeQueryOf(question, today), group_by: 'workflow', limit: 3 };
  const { data, error, isPlaceholderData } = useCostChange(asked, { enabled: isSaid });
  if (!isSaid) return null;
  return (
    <Text
      size="sm"
      className={isPlaceholderData ? 'explore-change is-stale' : 'explore-change'}
      component="section"
      aria-label="What changed"
      aria-live="polite"
    >
      {data && !isRefusal(error) ? (
        <>
          {metric === 'net_cost' && 'At list prices: '}
          <ChangeSentence change={data} isOfOne={isOfOneRepository(question)} />
        </>
      ) : error ? (
        'What changed failed to load.'
      ) : (
        <Skeleton component="span" display="block" height={14} width="70%" aria-busy="true" />
      )}
    </Text>
  );
}
