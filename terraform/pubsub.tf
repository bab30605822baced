# A queue is a topic, a push subscription and a dead-letter topic:
#
#	topic → subscription ──────────→ service
#	          └ a hundred tries → dead-letter topic → subscription → service: goes on
#
# The pauses of a hundred tries add up to some 16 hours, and a day whose money is spent
# lasts for 24. What the service gives up it tells to a topic of its own.
#
# Subscriptions expire after 31 days without traffic unless their ttl is "".

locals {
  # The handler has 540 s, the service 570 s, and the message 600 s, which is the
  # most there is: a delivery never comes again while one is at work.
  ack_seconds = 600

  # What is refused for a lease, a full instance, a quota or an outage costs no
  # attempt in the work record, so that deliveries are generous. As dead letters they
  # go on.
  deliveries  = 100
  min_backoff = "10s"
  max_backoff = "600s"

  # How long work stays with an instance that says nothing more, and how long a photo
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

# Told of each finished result. Whoever wants to know subscribes.
resource "google_pubsub_topic" "results" {
  project      = var.project
  name         = "${var.name_prefix}-results"
  kms_key_name = local.kms_key

  depends_on = [google_project_service.apis, google_kms_crypto_key_iam_member.agents]
}

# Told of each photo that was given up.
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
    # The function reads the topic out of the path.
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

# Brings dead letters to the same service, as one more delivery each. It has no dead
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

# Holds the photos that were given up for whoever mends what was wrong:
# whatisit replay --failed takes them from here.
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
