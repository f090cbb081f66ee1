-- The first call for a tenant puts in force what is stored, and notes nothing: from the start nothing waits to be published, until a
-- change raises the version.

alter table tenants alter column published set default 0;
update tenants set published = 0 where published < 0;
