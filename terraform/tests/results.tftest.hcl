# Ways out of the topic of results, and the log of who read what.

mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  project           = "a-project"
  region            = "europe-west1"
  image             = "europe-west1-docker.pkg.dev/a-project/whatis/cmd@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
  learn_from_search = false
  vertex_location   = "global"
}

run "none_unasked" {
  command = plan

  assert {
    condition     = length(google_bigquery_dataset.results) + length(google_bigquery_table.results) + length(google_bigquery_table_iam_member.results) + length(google_pubsub_subscription.bigquery) + length(google_pubsub_subscription.webhook) + length(google_service_account.webhook) + length(google_kms_crypto_key_iam_member.bigquery) + length(google_service_account_iam_member.webhook) + length(google_project_iam_audit_config.data_access) == 0 && !contains(keys(google_project_service.apis), "bigquery.googleapis.com")
    error_message = "results leave the project, or reads are logged, unasked"
  }
}

run "rows" {
  command = apply
  variables {
    results_dataset = "photos"
  }

  assert {
    condition     = [for d in google_bigquery_dataset.results : "${d.dataset_id} ${d.location} ${d.delete_contents_on_destroy} ${length(d.default_encryption_configuration)} ${d.description}"] == ["photos europe-west1 false 0 Results of whatis"]
    error_message = "rows are kept elsewhere than was said, or a destroy deletes them"
  }
  assert {
    condition     = [for b in google_bigquery_table.results : "${b.dataset_id} ${b.table_id} ${b.deletion_protection} ${b.time_partitioning[0].type} ${b.time_partitioning[0].field} ${b.time_partitioning[0].expiration_ms} ${b.description}"] == ["photos results true DAY publish_time 34560000000 A row for each message of whatis-results. One may come twice: select by message_id"]
    error_message = "rows are kept for longer than records, or can be deleted by mistake"
  }
  assert {
    condition     = length(setsubtract(["outcome", "product_name", "brand", "image", "warnings", "cost_usd", "message_id", "publish_time", "attributes", "subscription_name"], [for c in jsondecode(one(values(google_bigquery_table.results)).schema) : c.name])) == 0
    error_message = "the table lacks columns, so that no message is written"
  }
  assert {
    condition     = [for s in google_pubsub_subscription.bigquery : "${s.name} ${s.topic == google_pubsub_topic.results.id} ${s.message_retention_duration} ${s.bigquery_config[0].table} ${s.bigquery_config[0].use_table_schema} ${s.bigquery_config[0].write_metadata} ${s.bigquery_config[0].drop_unknown_fields} ${s.expiration_policy[0].ttl == ""} ${s.retry_policy[0].minimum_backoff} ${s.retry_policy[0].maximum_backoff}"] == ["whatis-results-bigquery true 604800s a-project.photos.results true true true true 10s 600s"]
    error_message = "results do not become rows"
  }
  assert {
    condition     = [for m in google_bigquery_table_iam_member.results : "${m.dataset_id} ${m.table_id} ${m.role} ${m.member}"] == ["photos results roles/bigquery.dataEditor serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com"]
    error_message = "Pub/Sub may not write rows, or may write others"
  }
  assert {
    condition     = contains(keys(google_project_service.apis), "bigquery.googleapis.com")
    error_message = "BigQuery's API is off"
  }
  assert {
    condition     = anytrue([for c in google_monitoring_alert_policy.queries["loss"].conditions : strcontains(c.condition_prometheus_query_language[0].query, "|whatis-results-bigquery\"") && strcontains(c.condition_prometheus_query_language[0].query, "> 432000")])
    error_message = "nobody hears that rows are about to be lost"
  }
}

run "rows_encrypted_and_deletable" {
  command = apply
  variables {
    results_dataset = "photos"
    kms_key         = "projects/p/locations/europe-west1/keyRings/r/cryptoKeys/k"
    allow_data_loss = true
  }

  assert {
    condition     = [for d in google_bigquery_dataset.results : "${d.default_encryption_configuration[0].kms_key_name} ${d.delete_contents_on_destroy}"] == ["projects/p/locations/europe-west1/keyRings/r/cryptoKeys/k true"] && [for b in google_bigquery_table.results : b.deletion_protection] == [false]
    error_message = "rows are not encrypted with the deployment's key, or a destroy stops at them"
  }
  assert {
    condition     = [for m in google_kms_crypto_key_iam_member.bigquery : "${m.member} ${m.role} ${m.crypto_key_id}"] == ["serviceAccount:bq-123456789012@bigquery-encryption.iam.gserviceaccount.com roles/cloudkms.cryptoKeyEncrypterDecrypter projects/p/locations/europe-west1/keyRings/r/cryptoKeys/k"]
    error_message = "BigQuery may not use the key, and the dataset is refused"
  }
}

run "webhook" {
  command = apply
  variables {
    results_webhook = "https://shop.example.com/results"
  }

  assert {
    condition     = [for s in google_pubsub_subscription.webhook : "${s.name} ${s.topic == google_pubsub_topic.results.id} ${s.ack_deadline_seconds} ${s.message_retention_duration} ${s.push_config[0].push_endpoint} ${s.push_config[0].oidc_token[0].audience} ${s.push_config[0].oidc_token[0].service_account_email == one(values(google_service_account.webhook)).email} ${s.push_config[0].no_wrapper[0].write_metadata} ${s.expiration_policy[0].ttl == ""} ${s.retry_policy[0].minimum_backoff} ${s.retry_policy[0].maximum_backoff}"] == ["whatis-results-webhook true 60 604800s https://shop.example.com/results https://shop.example.com/results true true true 10s 600s"]
    error_message = "the webhook gets no result, or one that nobody signed for it"
  }
  assert {
    condition     = [for a in google_service_account.webhook : "${a.account_id} ${a.display_name}"] == ["whatis-webhook whatis: pushes of results to https://shop.example.com/results"] && [for m in google_service_account_iam_member.webhook : "${m.service_account_id == one(values(google_service_account.webhook)).name} ${m.role} ${m.member}"] == ["true roles/iam.serviceAccountTokenCreator serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com"]
    error_message = "Pub/Sub may not sign the webhook's tokens, or signs as an account that may invoke services"
  }
}

run "reads_are_logged" {
  command = plan
  variables {
    data_access_logs = ["storage.googleapis.com"]
  }

  assert {
    condition     = [for c in google_project_iam_audit_config.data_access : "${c.service} ${join(" ", sort([for l in c.audit_log_config : l.log_type]))}"] == ["storage.googleapis.com DATA_READ DATA_WRITE"]
    error_message = "nobody knows who read a photo"
  }
}

run "refused" {
  command = plan
  variables {
    results_dataset  = "my-dataset"
    results_webhook  = "http://shop.example.com"
    data_access_logs = ["storage"]
  }
  expect_failures = [var.results_dataset, var.results_webhook, var.data_access_logs]
}
