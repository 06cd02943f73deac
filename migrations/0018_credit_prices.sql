-- What a credit costs by the organization's contract. Null keeps the price of the price list.
alter table billing_terms add column credit_nanos bigint check (credit_nanos >= 0);
