-- The customer id of an archived tenant can be used again.
alter table tenants drop constraint tenants_customer_id_key;
create unique index tenants_customer_id on tenants (customer_id) where status = 'active';
