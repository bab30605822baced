# A queue is a topic, a push subscription and a dead-letter topic:
#
#	topic → subscription ──────────→ service
#	          └ a hundred tries → dead-letter topic → subscription → service: more tries
#
# The pauses of a hundred tries add up to about 16 hours, and a spent budget may last for
# 24. The service publishes photos that it gives up to a topic of their own.
#
# Subscriptions expire after 31 days without traffic unless their ttl is "".

locals {
  # The handler has 540 s, the service 570 s, and the message 600 s, which is the maximum:
  # a message is never delivered again while a delivery is in progress.
  ack_seconds = 600

  # A delivery refused for a lease, a full instance, a quota or an outage counts no attempt
  # in the work record, so many deliveries are allowed. Dead letters are delivered too.
  deliveries  = 100
  min_backoff = "10s"
  max_backoff = "600s"

  # The lease of work, after which another instance may take it over, and how long a photo
  # is tried while a model is down. Both are the program's defaults.
  lease         = "30s"
  give_up_after = "24h"

  month = "2678400s" # 31 days, the longest that Pub/Sub keeps anything
  week  = "604800s"
}

resource "google_pubsub_topic" "queues" {
  for_each = local.queues

  project      = var.project
  name         = "${var.name_prefix}-${each.key}"
  kms_key_name = local.kms_key

  depends_on = [google_project_service.apis, google_kms_crypto_key_iam_member.agents]
}

resource "google_pubsub_topic" "dead_letters" {
  for_each = local.queues

  project                    = var.project
  name                       = "${var.name_prefix}-${each.key}-dead-letter"
  message_retention_duration = local.month
  kms_key_name               = local.kms_key

  depends_on = [google_project_service.apis, google_kms_crypto_key_iam_member.agents]
}

# The topic of finished results, for your own subscriptions.
resource "google_pubsub_topic" "results" {
  project      = var.project
  name         = "${var.name_prefix}-results"
  kms_key_name = local.kms_key

  depends_on = [google_project_service.apis, google_kms_crypto_key_iam_member.agents]
}

# The topic of given-up photos.
resource "google_pubsub_topic" "failures" {
  project                    = var.project
  name                       = "${var.name_prefix}-failures"
  message_retention_duration = local.month
  kms_key_name               = local.kms_key

  depends_on = [google_project_service.apis, google_kms_crypto_key_iam_member.agents]
}

resource "google_pubsub_subscription" "queues" {
  for_each = local.queues

  project                    = var.project
  name                       = "${var.name_prefix}-${each.key}"
  topic                      = google_pubsub_topic.queues[each.key].id
  ack_deadline_seconds       = local.ack_seconds
  message_retention_duration = local.week

  push_config {
    # The function reads the topic from the path.
    push_endpoint = "${google_cloud_run_v2_service.services[each.value.service].uri}/${google_pubsub_topic.queues[each.key].id}"
    oidc_token {
      service_account_email = google_service_account.push.email
      audience              = google_cloud_run_v2_service.services[each.value.service].uri
    }
  }
  retry_policy {
    minimum_backoff = local.min_backoff
    maximum_backoff = local.max_backoff
  }
  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.dead_letters[each.key].id
    max_delivery_attempts = local.deliveries
  }
  expiration_policy {
    ttl = ""
  }

  depends_on = [google_cloud_run_v2_service_iam_member.push, google_service_account_iam_member.push]
}

# Delivers dead letters to the same service, each as one more delivery. It has no dead
# letters of its own: it tries for a month.
resource "google_pubsub_subscription" "dead_letters" {
  for_each = local.queues

  project                    = var.project
  name                       = "${var.name_prefix}-${each.key}-dead-letter"
  topic                      = google_pubsub_topic.dead_letters[each.key].id
  ack_deadline_seconds       = local.ack_seconds
  message_retention_duration = local.month

  push_config {
    push_endpoint = "${google_cloud_run_v2_service.services[each.value.service].uri}/${google_pubsub_topic.dead_letters[each.key].id}"
    oidc_token {
      service_account_email = google_service_account.push.email
      audience              = google_cloud_run_v2_service.services[each.value.service].uri
    }
  }
  retry_policy {
    minimum_backoff = local.min_backoff
    maximum_backoff = local.max_backoff
  }
  expiration_policy {
    ttl = ""
  }

  depends_on = [google_cloud_run_v2_service_iam_member.push, google_service_account_iam_member.push]
}

# Keeps the given-up photos until the cause is fixed: whatisit replay --failed takes them
# from here.
resource "google_pubsub_subscription" "failures" {
  project                    = var.project
  name                       = "${var.name_prefix}-failures"
  topic                      = google_pubsub_topic.failures.id
  ack_deadline_seconds       = 60
  message_retention_duration = local.month

  expiration_policy {
    ttl = ""
  }
}
