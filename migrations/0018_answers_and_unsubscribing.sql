-- What the latest attempt was answered; null where there was no answer. A failed attempt makes the status `failed`,
-- also while retries are to come, which used to be `pending`.
alter table webhooks add column last_response_code integer;
update webhooks set last_delivery_status = 'failed' where last_delivery_status = 'pending';

-- Stands in the unsubscribe links of alert mails, made for the first of them; a changed email address resets it.
alter table members add column unsubscribe_secret text;
