# Ways out of the topic of results, both off: rows in BigQuery (results_dataset), and a webhook
# (results_webhook).

locals {
  to_bigquery = var.results_dataset == "" ? [] : [var.results_dataset]
  to_webhook  = var.results_webhook == "" ? [] : [var.results_webhook]
}

# BigQuery encrypts with an account of its own, which is made by asking for it.
data "google_bigquery_default_service_account" "results" {
  for_each = toset(local.kms_key == null ? [] : local.to_bigquery)

  project = var.project

  depends_on = [google_project_service.apis]
}

resource "google_kms_crypto_key_iam_member" "bigquery" {
  for_each = toset(local.kms_key == null ? [] : local.to_bigquery)

  crypto_key_id = var.kms_key
  role          = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
  member        = "serviceAccount:${data.google_bigquery_default_service_account.results[each.key].email}"
}

resource "google_bigquery_dataset" "results" {
  for_each = toset(local.to_bigquery)

  project                    = var.project
  dataset_id                 = each.key
  location                   = var.region
  description                = "Results of ${var.name_prefix}"
  delete_contents_on_destroy = var.allow_data_loss

  dynamic "default_encryption_configuration" {
    for_each = local.kms_key == null ? [] : [local.kms_key]
    content { kms_key_name = default_encryption_configuration.value }
  }

  depends_on = [google_project_service.apis, google_kms_crypto_key_iam_member.bigquery]
}

# A row for each message, which is a finished photo. The columns are those of internal/analyze's
# Result, written to results.json by TestResultsTable, and Pub/Sub's own. Columns are only ever
# added; what has none is left out.
resource "google_bigquery_table" "results" {
  for_each = toset(local.to_bigquery)

  project             = var.project
  dataset_id          = google_bigquery_dataset.results[each.key].dataset_id
  table_id            = "results"
  description         = "A row for each message of ${google_pubsub_topic.results.name}. One may come twice: select by message_id"
  deletion_protection = !var.allow_data_loss
  schema              = file("${path.module}/results.json")

  time_partitioning {
    type          = "DAY"
    field         = "publish_time"
    expiration_ms = var.record_days * 86400000
  }
}

resource "google_bigquery_table_iam_member" "results" {
  for_each = toset(local.to_bigquery)

  project    = var.project
  dataset_id = google_bigquery_dataset.results[each.key].dataset_id
  table_id   = google_bigquery_table.results[each.key].table_id
  role       = "roles/bigquery.dataEditor"
  member     = local.pubsub_agent

  # Google makes the account with the first topic.
  depends_on = [google_pubsub_topic.results]
}

resource "google_pubsub_subscription" "bigquery" {
  for_each = toset(local.to_bigquery)

  project                    = var.project
  name                       = "${var.name_prefix}-results-bigquery"
  topic                      = google_pubsub_topic.results.id
  message_retention_duration = local.week

  bigquery_config {
    table               = "${var.project}.${each.key}.${google_bigquery_table.results[each.key].table_id}"
    use_table_schema    = true
    write_metadata      = true
    drop_unknown_fields = true
  }
  retry_policy {
    minimum_backoff = local.min_backoff
    maximum_backoff = local.max_backoff
  }
  expiration_policy {
    ttl = ""
  }

  depends_on = [google_bigquery_table_iam_member.results]
}

# Its tokens are for the webhook alone, and let nobody in here.
resource "google_service_account" "webhook" {
  for_each = toset(local.to_webhook)

  project      = var.project
  account_id   = "${var.name_prefix}-webhook"
  display_name = "${var.name_prefix}: pushes of results to ${each.key}"

  depends_on = [google_project_service.apis]
}

resource "google_service_account_iam_member" "webhook" {
  for_each = toset(local.to_webhook)

  service_account_id = google_service_account.webhook[each.key].name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = local.pubsub_agent

  depends_on = [google_pubsub_topic.results]
}

# The body is the result, as in the bucket; message_id and attributes are headers
# (x-goog-pubsub-…). Whoever receives it verifies the token: issuer, audience and e-mail.
resource "google_pubsub_subscription" "webhook" {
  for_each = toset(local.to_webhook)

  project                    = var.project
  name                       = "${var.name_prefix}-results-webhook"
  topic                      = google_pubsub_topic.results.id
  ack_deadline_seconds       = 60
  message_retention_duration = local.week

  push_config {
    push_endpoint = each.key
    oidc_token {
      service_account_email = google_service_account.webhook[each.key].email
      audience              = each.key
    }
    no_wrapper {
      write_metadata = true
    }
  }
  retry_policy {
    minimum_backoff = local.min_backoff
    maximum_backoff = local.max_backoff
  }
  expiration_policy {
    ttl = ""
  }

  depends_on = [google_service_account_iam_member.webhook]
}

# Who read and wrote what, of the services named, for the whole project: Cloud Logging's price
# for what exceeds the free volume.
resource "google_project_iam_audit_config" "data_access" {
  for_each = var.data_access_logs

  project = var.project
  service = each.key

  dynamic "audit_log_config" {
    for_each = ["DATA_READ", "DATA_WRITE"]
    content { log_type = audit_log_config.value }
  }

  depends_on = [google_project_service.apis]
}
