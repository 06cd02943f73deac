-- What a credit costs by the organization's contract. Null keeps the price of the price list.
alter table billing_terms add column credit_nanos bigint check (credit_nanos >= 0);

-- The AI credits that Copilot licenses include per month, of which alerts and the overview show the used share.
alter table billing_terms add column included_credits int check (included_credits >= 0);
